"""What users bring, by name: the grammar of names and parameters, files and modules, and the registries."""
