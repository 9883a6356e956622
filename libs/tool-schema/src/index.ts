export { compileSchema } from './compile-schema.js';
export { usableSchema, type UsableSchema } from './usable-schema.js';
