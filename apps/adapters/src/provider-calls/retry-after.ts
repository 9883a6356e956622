export { MAX_RETRY_AFTER_SECONDS, parseRetryAfter } from '#libs/adapter-sdk';
