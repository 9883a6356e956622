/** What `outcome` of a URL says to which a browser comes back from a provider. */
export const connectOutcomes = ['connected', 'other_account', 'failed'] as const;
