"""Many cases, judged in one asyncio process; a kill loses nothing, and at most what was in flight is paid again.

directory   the files of a run and their lines; the lock
plan        what a run is (protocol, settings, rubric), and how it is executed (limits, engine)
create      INPUT → the run's own copy of its cases
state       what is done, what is open, and the sums
job         one case judged and its outcome stored, here or in a pool of processes; ray: jobs on a cluster
execute     all open cases, many at a time, until they are done or somebody stops the run
estimate    what the open cases would ask and cost
progress    what is shown meanwhile
hosting     the runs of a service: begun, executed in the background, continued after a restart
"""
