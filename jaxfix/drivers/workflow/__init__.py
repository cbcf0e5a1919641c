"""What every front end does with the user's code: choose what is analysed, look, plan, prove, write, keep receipts.

Nobody here speaks to a person: progress and notes go to a `Watcher`.
"""
