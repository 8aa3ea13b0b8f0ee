"""averment: answers over documents, with evidence for each claim and silence where it is due."""
