import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { AdapterHealthRow } from '../adapter-health/adapter-health.entity.js';
import { AdapterRow } from '../adapters/adapter.entity.js';
import { ManifestVersionRow } from '../adapters/manifest-version.entity.js';
import { SkillRemovalRow } from '../adapters/skill-removal.entity.js';
import { ConformanceRunRow } from '../conformance/conformance-run.entity.js';
import { AppRow } from '../apps/app.entity.js';
import { AddressPaceRow } from '../deliveries/address-pace.entity.js';
import { DeliveryAttachmentRow } from '../deliveries/delivery-attachment.entity.js';
import { DeliveryPartRow } from '../deliveries/delivery-part.entity.js';
import { DeliveryRow } from '../deliveries/delivery.entity.js';
import { InboundWaitRow } from '../inbound/inbound-wait.entity.js';
import { ParsedMessages } from '../inbound/parsed-messages.entity.js';
import { SourceChangeRow } from '../sources/source-change.entity.js';
import { SourceDocumentRow } from '../sources/source-document.entity.js';
import { SourceRow } from '../sources/source.entity.js';
import { SyncRunRow } from '../sources/sync-run.entity.js';
import { WebhookRenewalRow } from '../webhook-renewals/webhook-renewal.entity.js';
import { Gateway1763700000200 } from './1763700000200-gateway.js';
import { DeveloperPortal1763800000200 } from './1763800000200-developer-portal.js';
import { DocumentSources1763800000300 } from './1763800000300-document-sources.js';
import { InboundWaits1763900000300 } from './1763900000300-inbound-waits.js';
import { ToldSkills1764100000200 } from './1764100000200-told-skills.js';
import { KnowledgeFeed1764200000200 } from './1764200000200-knowledge-feed.js';
import { WebhookRenewals1764200000300 } from './1764200000300-webhook-renewals.js';
import { DeliveryAttachments1764200000400 } from './1764200000400-delivery-attachments.js';
import { AppCredentials1764600000100 } from './1764600000100-app-credentials.js';
import { ParsedMessagesAsText1764600000300 } from './1764600000300-parsed-messages-as-text.js';
import { ReplyAddresses1764600000400 } from './1764600000400-reply-addresses.js';
import { FailuresOnResources1764600000800 } from './1764600000800-failures-on-resources.js';
import { SigningFieldsTold1764600000820 } from './1764600000820-signing-fields-told.js';
import { SealedWebhookTokens1764700000200 } from './1764700000200-sealed-webhook-tokens.js';
import { TextSources1764700000300 } from './1764700000300-text-sources.js';
import { Audit1764700000302 } from './1764700000302-audit.js';
import { DeliveryParts1764700000500 } from './1764700000500-delivery-parts.js';
import { HealthAndConformance1764800000961 } from './1764800000961-health-and-conformance.js';
import { LeaseOwners1764900000105 } from './1764900000105-lease-owners.js';
import { ClosedProjects1764900000111 } from './1764900000111-closed-projects.js';
import { ChangesTold1764900000200 } from './1764900000200-changes-told.js';
import { ProjectLimits1765000000202 } from './1765000000202-project-limits.js';

export const schema: ServiceSchema = {
  name: 'gateway',
  entities: [
    AdapterHealthRow,
    AdapterRow,
    ConformanceRunRow,
    AddressPaceRow,
    AppRow,
    DeliveryAttachmentRow,
    DeliveryPartRow,
    DeliveryRow,
    InboundWaitRow,
    ManifestVersionRow,
    ParsedMessages,
    SkillRemovalRow,
    SourceChangeRow,
    SourceDocumentRow,
    SourceRow,
    SyncRunRow,
    WebhookRenewalRow,
    Audit,
  ],
  migrations: [
    Gateway1763700000200,
    DeveloperPortal1763800000200,
    DocumentSources1763800000300,
    InboundWaits1763900000300,
    ToldSkills1764100000200,
    KnowledgeFeed1764200000200,
    WebhookRenewals1764200000300,
    DeliveryAttachments1764200000400,
    AppCredentials1764600000100,
    ParsedMessagesAsText1764600000300,
    ReplyAddresses1764600000400,
    FailuresOnResources1764600000800,
    SigningFieldsTold1764600000820,
    SealedWebhookTokens1764700000200,
    TextSources1764700000300,
    Audit1764700000302,
    DeliveryParts1764700000500,
    HealthAndConformance1764800000961,
    LeaseOwners1764900000105,
    ClosedProjects1764900000111,
    ChangesTold1764900000200,
    ProjectLimits1765000000202,
  ],
};
