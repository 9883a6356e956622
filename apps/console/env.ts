/** Used by the development server only. */
export const env = {
  /** The system that the pages use. */
  systemUrl: process.env.GATEHOUSE_URL ?? 'http://127.0.0.1:3000',
  /** The key for requests without a session. */
  apiKey: process.env.GATEHOUSE_API_KEY,
};
