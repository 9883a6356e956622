export { compileSchema } from './compile-schema.js';
export { countSchemas } from './schema-parts.js';
export { usableSchema, type UsableSchema } from './usable-schema.js';
