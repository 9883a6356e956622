/** Why documents are not found by meaning at the moment. */
export const meaningTexts = {
  failing: 'No vectors are made at the moment. Documents are found by words.',
  nextTry: 'Next try:',
};
