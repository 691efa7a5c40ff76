"""What every policy and every optimizer has to keep: classes from which their tests inherit."""
