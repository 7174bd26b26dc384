"""A dialogue: the Evaluator scores a customer-service conversation, the Critic challenges it, the Referee decides."""

SUMMARY = "judge customer-service conversations"
EXAMPLES = ("adjudge dialogue transcript.txt",)
GATES = {"mean_score": "mean of the final averages, 20 to 100"}
