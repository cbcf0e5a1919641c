"""The room that proves: reruns programs before and after a patch and judges the difference."""
