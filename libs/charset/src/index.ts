export { type DecodedText, decodeText, type TextSource } from './decode-text.js';
