/** The values of `outcome` in the URL that the browser returns to from a provider. */
export const connectOutcomes = ['connected', 'other_account', 'failed'] as const;
