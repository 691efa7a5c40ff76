"""Tables of jobs: CSV, Parquet and data frames, with named columns."""
