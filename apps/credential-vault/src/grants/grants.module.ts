import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialStoreModule } from '../credential-store/credential-store.module.js';
import { OauthFlowsModule } from '../oauth-flows/oauth-flows.module.js';
import { OauthProvidersModule } from '../oauth-providers/oauth-providers.module.js';
import { SealingModule } from '../sealing/sealing.module.js';
import { AnswerJournal } from './answer-journal.js';
import { ClientPauseRepository } from './client-pause.repository.js';
import { ClientPauses } from './client-pauses.js';
import { DueGrants } from './due-grants.js';
import { DueRevocations } from './due-revocations.js';
import { FreshTokenService } from './fresh-token.service.js';
import { GrantAdoptionRepository } from './grant-adoption.repository.js';
import { GrantClients } from './grant-clients.js';
import { GrantEventRepository } from './grant-transition.repository.js';
import { GrantRevocationRepository } from './grant-revocation.repository.js';
import { GrantSealer } from './grant-sealer.js';
import { GrantRepository } from './grant.repository.js';
import { LateTokens } from './late-tokens.js';
import { RefreshAttemptRepository } from './refresh-attempt.repository.js';
import { RefreshAttempts } from './refresh-attempts.js';
import { RefreshLeases } from './refresh-lease.js';
import { RefreshHandler } from './refresh.handler.js';
import { Refresher } from './refresher.service.js';
import { RevocationController } from './revocation.controller.js';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';
import { StoredTokens } from './stored-tokens.service.js';
import { StrandedAnswers } from './stranded-answers.js';
import { TokenCustody } from './token-custody.js';
import { TokenHostGate } from './token-host-gate.js';

@Module({
  imports: [AuditModule, CredentialStoreModule, OauthFlowsModule, OauthProvidersModule, SealingModule],
  controllers: [RefreshHandler, RevocationController],
  providers: [
    AnswerJournal,
    ClientPauseRepository,
    ClientPauses,
    DueGrants,
    DueRevocations,
    FreshTokenService,
    GrantAdoptionRepository,
    GrantClients,
    GrantEventRepository,
    GrantRepository,
    GrantRevocationRepository,
    GrantSealer,
    LateTokens,
    RefreshAttemptRepository,
    RefreshAttempts,
    RefreshLeases,
    Refresher,
    RevocationRepository,
    RevocationService,
    StoredTokens,
    StrandedAnswers,
    TokenCustody,
    TokenHostGate,
  ],
  exports: [
    AnswerJournal,
    ClientPauses,
    FreshTokenService,
    GrantClients,
    GrantEventRepository,
    GrantRepository,
    GrantSealer,
    LateTokens,
    RefreshAttemptRepository,
    RevocationService,
    StoredTokens,
    TokenCustody,
  ],
})
export class GrantsModule {}
