export { fence, fenceExplanation, type ExternalText } from './fence.js';
export { type RuleName, type SanitizerReport } from './report.js';
export { sanitizeOwnWords, sanitizeReply, type SanitizedReply } from './reply/sanitize-reply.js';
export { type KnownTargets, linksIn } from './reply/targets.js';
export { sanitize, type Sanitized, type SanitizeOptions } from './sanitize.js';
export { sanitizeFileName } from './sanitize-file-name.js';
export { sanitizeName } from './sanitize-name.js';
export { sanitizeValue, type JsonValue, type ValueLimits } from './sanitize-value.js';
