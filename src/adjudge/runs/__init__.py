"""Runs: many cases judged in one asyncio process. A kill loses nothing; at most the calls in flight are paid again.

directory   the files of a run, their lines, and the lock
plan        what a run is (protocol, settings, rubric), and how it is executed (limits, engine)
create      copies INPUT into the run's own file of cases
state       what is done, what is open, and the totals
job         judges one case and stores its outcome, here or in a process pool; ray: jobs on a cluster
execute     judges all open cases, many at a time, until they are done or the run is stopped
estimate    the calls and the cost of the open cases
progress    what is shown during a run
hosting     the runs of a service: created, executed in the background, continued after a restart
"""
