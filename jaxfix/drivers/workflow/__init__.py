"""What every front end does with the user's code: choose what is looked at, look, plan, prove, write, keep receipts.

Nobody here speaks to a person: what there is to say while it goes on is told to a `Watcher`.
"""
