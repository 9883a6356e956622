import type { OAuthConfig } from '#libs/adapter-sdk';
import type { AttentionItem, Endpoint, HandshakeResult, NormalizedMessage } from '#libs/contracts';
import type { AdapterHealthView } from '../manage/adapter-health/adapter-health.dto.js';
import type { AppPage, AppView } from '../manage/apps/app-view.dto.js';
import type { ConformanceRunPage, ConformanceRunView } from '../manage/conformance/conformance.dto.js';
import type { DeliveryPage, DeliveryView } from '../manage/deliveries/delivery.dto.js';
import type { WebhookSenderPage } from '../manage/listings/webhook-sender.dto.js';
import type { MissedAskView } from '../missed/missed.dto.js';
import type { ListingPage, ListingView } from '../manage/listings/listing.dto.js';
import type {
  AdapterPage,
  AdapterView,
  ManifestVersionPage,
  ManifestVersionView,
  RefreshedAdapterView,
} from '../manage/registration/adapter-view.dto.js';
import type { AvailableSamplesView, SampleView } from '../manage/samples/sample.dto.js';
import type {
  SourceDocumentPage,
  SourcePage,
  SourceView,
  SyncRunPage,
  SyncRunView,
} from '../sources/source-view.dto.js';
import type { VerifiedAppView } from '../manage/verification/app-verification.dto.js';
import type { WebhookRenewalView } from '../webhook-renewals/webhook-renewal.dto.js';

/** The fields of all routes that tests read. */
interface AdapterCallAnswer {
  ok?: boolean;
  text?: string;
  content_base64?: string;
  delivery_id?: string;
  state?: string;
}

/** What each route of the gateway answers people. */
export type GatewayViews = [
  ['GET adapters', AdapterPage],
  [`POST adapters/${string}/refresh`, RefreshedAdapterView],
  [`${string} adapters/${string}/conformance-runs/${string}`, ConformanceRunView],
  [`POST adapters/${string}/conformance-runs`, ConformanceRunView],
  [`GET adapters/${string}/conformance-runs`, ConformanceRunPage],
  [`GET adapters/${string}/versions`, ManifestVersionPage],
  [`GET adapters/${string}/versions/${number}`, ManifestVersionView],
  [`GET adapters/${string}/health`, AdapterHealthView],
  [`${string} adapters${string}`, AdapterView],
  ['GET listings', ListingPage],
  ['GET listings/webhook/senders', WebhookSenderPage],
  [`GET listings/${string}`, ListingView],
  [`POST listings/${string}/install`, AppView],
  ['GET apps', AppPage],
  [`POST apps/${string}/verify`, VerifiedAppView],
  [`GET apps/${string}/samples`, AvailableSamplesView],
  [`POST apps/${string}/samples`, SampleView],
  [`GET apps/${string}/webhook-renewal`, WebhookRenewalView],
  [`${string} apps/${string}/missed`, MissedAskView],
  [`${string} apps${string}`, AppView],
  ['GET deliveries', DeliveryPage],
  [`${string} deliveries/${string}`, DeliveryView],
  ['GET sources', SourcePage],
  [`GET sources/${string}/runs`, SyncRunPage],
  [`GET sources/${string}/runs/${string}`, SyncRunView],
  [`POST sources/${string}/sync`, SyncRunView],
  [`GET sources/${string}/documents`, SourceDocumentPage],
  [`GET sources/${string}/content`, string],
  [`${string} sources${string}`, SourceView],
];

/** What it answers other services. */
export type GatewayInternalViews = [
  ['GET attention', { data: AttentionItem[] }],
  ['GET audit', { data: object[] }],
  ['GET endpoints', { endpoints: Endpoint[] }],
  [`GET parsed-messages/${string}`, { messages: NormalizedMessage[] }],
  [`GET oauth-providers/${string}`, { slug: string; manifest_version: number; oauth_config: OAuthConfig }],
  [`POST adapter-calls/${string}`, AdapterCallAnswer],
  [`POST apps/${string}/handshake`, HandshakeResult],
  ['POST missed', { apps: number }],
];
