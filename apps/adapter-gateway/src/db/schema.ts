import { DocumentAccess1795894000000 } from './1795894000000-document-access.js';
import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { AdapterHealthRow } from '../entities/adapter-health.entity.js';
import { AdapterRow, AppRow } from '../entities/app.entity.js';
import {
  AddressPaceRow,
  DeliveryAttachmentRow,
  DeliveryPartRow,
  DeliveryRow,
  OfferedChoice,
} from '../entities/delivery.entity.js';
import { InboundWaitRow, ParsedMessages } from '../path/inbound/inbound.entity.js';
import { ManifestVersionRow } from '../manage/registration/manifest-version.entity.js';
import { SkillRemovalRow } from '../manage/adapters/skill-removal.entity.js';
import { ConformanceRunRow } from '../entities/conformance-run.entity.js';
import { HeldConnection } from '../held-connections/held-connection.entity.js';
import { SourceChangeRow } from '../sources/source-change.entity.js';
import { SourceDocumentRow } from '../sources/source-document.entity.js';
import { SourceRow } from '../sources/source.entity.js';
import { SyncRunRow } from '../sources/sync-run.entity.js';
import { WebhookRenewalRow } from '../webhook-renewals/webhook-renewal.entity.js';
import { MissedAsk } from '../missed/missed-ask.entity.js';
import { Gateway1770000000000 } from './1770000000000-gateway.js';
import { InboundWork1795703000000 } from './1795703000000-inbound-work.js';
import { SyncWork1795704000000 } from './1795704000000-sync-work.js';
import { DeliveryWork1795705000000 } from './1795705000000-delivery-work.js';
import { DeliveryDue1795705000001 } from './1795705000001-delivery-due.js';
import { WebhookSenders1795706000000 } from './1795706000000-webhook-senders.js';
import { Suspects1795766100000 } from './1795766100000-suspects.js';
import { ProviderStatuses1795767900000 } from './1795767900000-provider-statuses.js';
import { HeldConnection1795808000000 } from './1795808000000-held-connection.js';
import { OfferedChoice1795806000000 } from './1795806000000-offered-choice.js';
import { Missed1795807000000 } from './1795807000000-missed.js';
import { ReplyAddress1795812000000 } from './1795812000000-reply-address.js';
import { WebChat1795814000000 } from './1795814000000-web-chat.js';
import { WebChatFile1795817000000 } from './1795817000000-web-chat-file.js';
import { WebChatConversation, WebChatFile, WebChatMessage } from '../web-chat/web-chat.entity.js';
import { WebChatAddress, WebChatMail, WebChatMailSetting, WebChatRecipient } from '../web-chat/web-chat-mail.entity.js';
import { WebChatMail1795890651515 } from './1795890651515-web-chat-mail.js';
import { WebChatMailLookups1795896226318 } from './1795896226318-web-chat-mail-lookups.js';
import { SourceAccess1795902991215 } from './1795902991215-source-access.js';
import { ConnectionDegraded1795914674311 } from './1795914674311-connection-degraded.js';
import { WebChatMailOfApp1795916696872 } from './1795916696872-web-chat-mail-of-app.js';
import { ProviderIdIndex1795917647181 } from './1795917647181-provider-id-index.js';
import { DeliveryEntry1795927532162 } from './1795927532162-delivery-entry.js';
import { WebChatMailDelivery1795933329107 } from './1795933329107-web-chat-mail-delivery.js';

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
    HeldConnection,
    InboundWaitRow,
    ManifestVersionRow,
    MissedAsk,
    OfferedChoice,
    ParsedMessages,
    SkillRemovalRow,
    SourceChangeRow,
    SourceDocumentRow,
    SourceRow,
    SyncRunRow,
    WebChatAddress,
    WebChatConversation,
    WebChatFile,
    WebChatMail,
    WebChatMailSetting,
    WebChatMessage,
    WebChatRecipient,
    WebhookRenewalRow,
    Audit,
  ],
  migrations: [
    Gateway1770000000000,
    InboundWork1795703000000,
    SyncWork1795704000000,
    DeliveryWork1795705000000,
    DeliveryDue1795705000001,
    WebhookSenders1795706000000,
    Suspects1795766100000,
    ProviderStatuses1795767900000,
    OfferedChoice1795806000000,
    Missed1795807000000,
    HeldConnection1795808000000,
    ReplyAddress1795812000000,
    WebChat1795814000000,
    WebChatFile1795817000000,
    WebChatMail1795890651515,
    DocumentAccess1795894000000,
    WebChatMailLookups1795896226318,
    SourceAccess1795902991215,
    ConnectionDegraded1795914674311,
    WebChatMailOfApp1795916696872,
    ProviderIdIndex1795917647181,
    DeliveryEntry1795927532162,
    WebChatMailDelivery1795933329107,
  ],
  // An entry that lies in a row is part of the timelines, of lists and counts.
  grants: Object.fromEntries(
    ['webhook-ingress', 'router', 'engine'].map((service) => [service, ['SELECT ON journal.delivery_entry']]),
  ),
};
