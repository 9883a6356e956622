/** DI token of the client of the vault. */
export const VAULT = Symbol('vaultClient');
