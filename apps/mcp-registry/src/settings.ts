export { type RegistrySettings } from './env.js';

export const SETTINGS = Symbol('registrySettings');
