import { eventsFeature } from '../features/events/feature.js';
import { credentialsFeature } from '../features/credentials/feature.js';
import { developerPortalFeature } from '../features/developer-portal/feature.js';
import { homeFeature } from '../features/home/feature.js';
import { integrationsFeature } from '../features/integrations/feature.js';
import { sourcesFeature } from '../features/sources/feature.js';
import type { Feature } from './feature.js';

/** Every feature, in the order in which the navigation shows them within their groups. */
export const features: readonly Feature[] = [
  homeFeature,
  eventsFeature,
  integrationsFeature,
  credentialsFeature,
  sourcesFeature,
  developerPortalFeature,
];
