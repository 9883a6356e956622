export { PackedForm } from './packed-form.js';
