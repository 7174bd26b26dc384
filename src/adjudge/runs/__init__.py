"""Many cases: nothing lost, nothing paid twice, whatever happens in between."""
