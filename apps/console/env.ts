/** Of the development server alone. */
export const env = {
  /** The system that the pages talk to. */
  systemUrl: process.env.GATEHOUSE_URL ?? 'http://127.0.0.1:3000',
  /** Requests without a session are made with this key. */
  apiKey: process.env.GATEHOUSE_API_KEY,
};
