"""Many cases: nothing lost, nothing paid twice, whatever happens in between.

spooling    INPUT → the run's own copy of its cases
plan        what a run is: protocol, judge, rubric, settings; what a worker needs to do its part
judging     the chunk function: lines of cases in, outcomes out; the same in a local worker and on a cluster
workers     workers of any kind, fed and listened to by one parent; local_engine: processes of this machine,
            ray_engine: actors of a Ray cluster; merging: what a worker without the run's journal pays and says
ledger      outcomes on their way into DIR/verdicts.jsonl and DIR/failures.jsonl, and the sums over them
running     all of it in order
"""
