export { defineAdapter, type AdapterDefinition } from './adapter-definition.js';
export { BODY_LIMIT_BYTES, createAdapterServer, type AdapterServerOptions } from './adapter-server.js';
export { neutraliseBroadcasts } from './broadcast-mentions.js';
export type { CallContext, Credentials, Self } from './call-context.js';
export { platformCallRefused, readCallSecrets } from './call-signature.js';
export { checkAnswer, ContractViolation, REPLY_CONTEXT_MAX_BYTES } from './contract-violation.js';
export { checkAdapter, type CheckAdapterOptions } from './conformance/check-adapter.js';
export { checkRunningAdapter } from './conformance/check-running.js';
export { describeConformance, type TestRunner } from './conformance/conformance-suite.js';
export type { ConformanceFixtures, Fault, WebhookSample } from './conformance/fixtures.js';
export type { RunningAdapter } from './conformance/kit.js';
export { loadFixtures } from './conformance/load-fixtures.js';
export { printReport } from './conformance/print-report.js';
export type { SendCall } from './conformance/adapter-calls.js';
export type { CheckResult, CheckStatus, ConformanceReport, PointResult, PointStatus } from './conformance/report.js';
export type { FakeProvider } from './conformance/fake-provider.js';
export type { SigningRecipe, WebhookSigner } from './conformance/webhook-signing.js';
export type { VerifyCall, VerifyResult } from './credential-check.js';
export { attachedFiles, type AttachedFile } from './attached-files.js';
export { deliverParts, type PartToSend, type SentPart } from './deliver-parts.js';
export { deliverReaction, type Reaction } from './deliver-reaction.js';
export {
  DELIVER_ERRORS,
  deliverFailure,
  type DeliverCall,
  type DeliveredPart,
  type DeliverError,
  type DeliverErrorDetail,
  type DeliverFailure,
  type DeliverRequest,
  type DeliverResponse,
  type LookupCall,
  type LookupResult,
  type MessageAttachment,
} from './delivery.js';
export {
  CURSOR_MAX_BYTES,
  isContainedPath,
  type ChangeRecord,
  type DocumentSource,
  type FetchFileCall,
  type FetchFileResult,
  type ListChangesCall,
  type ListChangesResult,
  type LeftOutDocument,
  type PlaceAccess,
  OUTSIDE_ROOT,
  type SourceFailure,
} from './document-sources.js';
export { ecdsaPublicKeys, verifyEcdsa } from './ecdsa.js';
export { deliverErrorOfStatus, failureOfStatus } from './failure-of-status.js';
export { FEATURES, type Feature, interimOf, offersFeature } from './features.js';
export { FormError, parseForm, type Form, type FormFile, type FormLimits } from './forms/parse-form.js';
export { FILE_CONTENT_FIELDS, isFileEnvelope, readFileEnvelope, type FileEnvelope } from './file-envelope.js';
export type { FormatCall, FormatRequest, FormatResult } from './formatting.js';
export { headerValue, headerValues, type HeaderMap } from './header-lookup.js';
export { signHmac, verifyHmac } from './hmac.js';
export type { HmacAlgorithm } from './signature-schemes/one-shot-hmac.js';
export { type HmacEncoding, signaturesIn, standardSignaturesIn } from './signatures-in.js';
export type { Envelope, EnvelopeRequest, InboundCall } from './inbound-envelope.js';
export type { IndicateCall, IndicateResult } from './indication.js';
export { POLL_CURSOR_MAX_BYTES, POLL_MAX_EVENTS, type PollCall, type PolledEvent, type PollResult } from './polling.js';
export { InvalidRequest } from './invalid-request.js';
export { parseKeepingNumbers, wholeNumberAsText } from './json-numbers.js';
export { isJsonPointer, jsonPointerGet } from './json-pointer.js';
export { isJsonObject, parseJson, stringifyJson, type JsonObject } from './json-value.js';
export { localJwtKeys, remoteJwtKeys, verifyJwt, type JwtKeys } from './jwt.js';
export type {
  Capability,
  ConnectDeclaration,
  CredentialDeclaration,
  CredentialType,
  HandshakeDeclaration,
  HandshakeResponse,
  Manifest,
  MessageFormat,
  OAuthConfig,
  RequestPlace,
  WebhookDeclaration,
} from './manifest.js';
export { codeLinksIn, runsCode } from './code-links.js';
export { templateFailure, type TemplateProblem } from './template-failure.js';
export { terminalJson, terminalText } from './terminal-text.js';
export { unsafeParts } from './unsafe-parts.js';
export { manifestProblems, SCHEMA_VERSIONS, type ManifestProblem } from './manifest-problems.js';
export { dialectFormat, dialectParts } from './dialect-format.js';
export { plainFormat } from './plain-format.js';
export type {
  Beside,
  MarkdownDialect,
  MarkdownKind,
  MarkdownLink,
  MarkdownList,
  MarkdownTable,
} from './markdown/dialect.js';
export { escapeHtml, htmlDialect } from './markdown/html-dialect.js';
export { alignedTable, apart, backticked, plainDialect, quotedLines, textList } from './markdown/plain-dialect.js';
export { renderInParts } from './markdown/render-in-parts.js';
export { markdownToPlain, renderMarkdown } from './markdown/render-markdown.js';
export { rewriteMarkdown } from './markdown/rewrite-markdown.js';
export {
  callProvider,
  type MultipartForm,
  type ProviderAnswer,
  type ProviderRequest,
} from './provider-calls/call-provider.js';
export { downloadFile, type Download } from './provider-calls/download-file.js';
export { lostCall } from './provider-calls/lost-call.js';
export { providerFetch } from './provider-calls/provider-fetch.js';
export type {
  FetchedAnswer,
  FetchRequest,
  LostCall,
  ProviderFetch,
  ProviderHttp,
} from './provider-calls/provider-http.js';
export { refusedCredentials } from './provider-calls/refused-credentials.js';
export { sourceFailure } from './provider-calls/source-failure.js';
export { isOriginMarker } from './origin-marker.js';
export { contextFields, CONTEXT_MAX_MESSAGES, type ContextMessage } from './message-context.js';
export { EVENT_TYPES, ignoredMessage, type MessageMetadata, type NormalizedMessage } from './normalized-message.js';
export {
  actionData,
  type ActionStyle,
  MAX_ACTIONS,
  type MessageAction,
  readActionData,
  readActions,
} from './outgoing-actions.js';
export { ProviderUnavailable } from './provider-unavailable.js';
export { redactSecrets } from './secret-redaction.js';
export { MAX_RETRY_AFTER_SECONDS, parseRetryAfter } from './retry-after.js';
export {
  base64Key,
  INVISIBLE,
  MIN_SECRET_BYTES,
  MIN_STANDARD_WEBHOOKS_KEY_BYTES,
  refuseUnprotected,
  secretList,
  secretWeakness,
  strongSecrets,
  type SecretForm,
  type SecretInput,
} from './secret-strength.js';
export { isFreshTimestamp, SIGNATURE_TOLERANCE_SECONDS } from './signature-window.js';
export {
  headerOf,
  isShared,
  schemeProblem,
  SIGNATURE_SCHEMES,
  type SignatureScheme,
  type SignatureSchemeName,
  signsTime,
} from './signature-schemes/declared-scheme.js';
export { PreparedScheme } from './signature-schemes/prepared-scheme.js';
export { formOf, type ReceivedRequest, RequestValues } from './signature-schemes/request-values.js';
export type { SchemeVerdict } from './signature-schemes/scheme-verdict.js';
export { type RequestProof, signRequest, withQuery } from './signature-schemes/sign-request.js';
export { filledTemplate, parseTemplate } from './signature-schemes/value-template.js';
export { verifyScheme } from './signature-schemes/verify-scheme.js';
export { buildVersion, serveAdapters } from './serve-adapters.js';
export { type Division, evenParts, firstPart, graphemeBoundary, splitText } from './split-text.js';
export { rangesOf } from './whole-ranges.js';
export {
  signStandardWebhooks,
  STANDARD_WEBHOOKS_SCHEME,
  standardWebhooksKey,
  verifyStandardWebhooks,
} from './standard-webhooks.js';
export {
  aFilledText,
  aListOf,
  anAddress,
  anId,
  anObject,
  aText,
  aWholeNumber,
  fieldProblems,
  kindOf,
  trueOrFalse,
  type FieldProblem,
  type Wanted,
} from './typed-field.js';
export {
  refuseWebhook,
  WEBHOOK_REFUSALS,
  type VerifyWebhookResult,
  type WebhookRefusal,
} from './webhook-verification.js';
export { wholeListing } from './whole-listing.js';
export {
  isMissedRequest,
  MISSED_MAX_REQUESTS,
  type MissedRequest,
  type MissedSinceCall,
  type MissedSinceResult,
  missedProblem,
} from './missed-since.js';
export type { RenewWebhookCall, RenewWebhookResult } from './webhook-renewal.js';
