export { directParse } from './direct-parse.js';
export { isOwnMarker, markersIn, originField, originHeader, originMarker, validMarkers } from './origin-marker.js';
export { requestFacts } from './request-facts.js';
