import { homeTexts } from '../../texts/home.js';

/** What the Webhook App takes for a message. */
export const sampleBody = (): string => JSON.stringify({ text: homeTexts.checklist.sample });
