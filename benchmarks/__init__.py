"""Speed, measured: each module prints one table and says what it compares."""
