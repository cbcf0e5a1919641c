"""Random programs before and after their SAFE fixes: nothing may distinguish them."""
