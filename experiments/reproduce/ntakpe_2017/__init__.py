"""N'takpé and Suter (2017): deadline-based backfilling."""
