"""What reports and pages are made of: documents, tables, pictures, marks in a text, escaping, the base templates."""
