"""What people say of cases: files of labels, which cases are worth one, labels from elsewhere."""
