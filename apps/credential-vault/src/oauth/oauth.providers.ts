import { createEgress } from '#libs/egress';
import type { Provider, Type } from '@nestjs/common';
import { AnswerJournal } from '../grants/answer-journal.js';
import { DueGrants } from '../grants/due-grants.js';
import { DueRevocations } from '../grants/due-revocations.js';
import { FreshTokenService } from '../grants/fresh-token.service.js';
import { GrantClients } from '../grants/grant-clients.js';
import { GrantEventRepository } from '../grants/grant-event.repository.js';
import { GrantSealer } from '../grants/grant-sealer.js';
import { GrantRevocationRepository } from '../grants/grant-revocation.repository.js';
import { GrantRepository } from '../grants/grant.repository.js';
import { LateTokens } from '../grants/late-tokens.js';
import { RefreshAttemptRepository } from '../grants/refresh-attempt.repository.js';
import { RefreshAttempts } from '../grants/refresh-attempts.js';
import { RefreshHandler } from '../grants/refresh.handler.js';
import { RefreshLeases } from '../grants/refresh-lease.js';
import { Refresher } from '../grants/refresher.service.js';
import { RevocationRepository } from '../grants/revocation.repository.js';
import { RevocationService } from '../grants/revocation.service.js';
import { RevocationController } from '../grants/revocation.controller.js';
import { StrandedAnswers } from '../grants/stranded-answers.js';
import { TokenCustody } from '../grants/token-custody.js';
import { TokenHostGate } from '../grants/token-host-gate.js';
import type { VaultSettings } from '../settings.js';
import { CallbackController } from './callback.controller.js';
import { CallbackService } from './callback.service.js';
import { ClientMetadataController } from './client-metadata.controller.js';
import { ClientMetadata } from './client-metadata.js';
import { CodeAnswerService } from './code-answer.service.js';
import { CodeExchange } from './code-exchange.service.js';
import { ConnectLinkRepository } from './connect-link.repository.js';
import { ConnectController } from './connect.controller.js';
import { ConnectService } from './connect.service.js';
import { ExpiredFlows } from './expired-flows.js';
import { GrantSetup } from './grant-setup.service.js';
import { GrantViews } from './grant-views.js';
import { OauthFlowRepository } from './oauth-flow.repository.js';
import { ProviderDirectory } from './provider-directory.js';
import { UnconfirmedAccounts } from './unconfirmed-accounts.js';
import { EGRESS, TokenTransport } from './token-transport.js';

/** Consumed by this service: refreshes and revocations. */
export const refreshQueue = 'refresh';

export const oauthControllers: Type[] = [
  ConnectController,
  CallbackController,
  ClientMetadataController,
  RefreshHandler,
  RevocationController,
];

/** OAuth connections and the grants they make. */
export function oauthProviders(settings: VaultSettings): Provider[] {
  return [
    {
      provide: EGRESS,
      // The gate bounds what is under way; a socket that waits for another one would eat up a token request's time.
      useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW, timeouts: { connectMs: 5_000 } }),
    },
    ...[
      GrantRepository,
      GrantEventRepository,
      RefreshAttemptRepository,
      RevocationRepository,
      GrantSealer,
      GrantClients,
    ],
    ...[
      TokenTransport,
      AnswerJournal,
      TokenHostGate,
      RefreshLeases,
      RefreshAttempts,
      Refresher,
      FreshTokenService,
      DueGrants,
    ],
    ...[
      GrantRevocationRepository,
      RevocationService,
      DueRevocations,
      TokenCustody,
      LateTokens,
      StrandedAnswers,
      CodeAnswerService,
      UnconfirmedAccounts,
      ProviderDirectory,
      GrantSetup,
      ClientMetadata,
      GrantViews,
      OauthFlowRepository,
      ConnectLinkRepository,
    ],
    ...[ConnectService, CodeExchange, CallbackService, ExpiredFlows],
  ];
}
