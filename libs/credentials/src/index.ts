export { type AskedCredential, OpenedCredentials } from './opened-credentials.js';
