"""Random programs before and after their SAFE fixes: nothing may tell them apart."""
