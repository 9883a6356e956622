/** DI token of the client of the vault. */
export const vaultClient = Symbol('vaultClient');
