export { compileSchema } from './compile-schema.js';
