"""Language models behind the port `averment.ports.LanguageModel`, and the files they need."""
