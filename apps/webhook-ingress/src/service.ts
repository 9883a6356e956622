import { Metrics, ServiceTokens, type ServiceOptions } from '#libs/service-kit';
import { AnswerCounts } from './path/answers/answer-counts.js';
import { AppModule } from './app.module.js';
import { EndpointService } from './path/endpoints/endpoint.service.js';
import { type IngressSettings, readSettings } from './env.js';
import { RefusalLog } from './path/refusals/refusal-log.js';
import { WebhookReceiver } from './path/webhook/webhook.receiver.js';
import { WebhookService } from './path/webhook/webhook.service.js';

/** What `startService` starts; the tests start the same. */
export function ingressService(settings: IngressSettings): ServiceOptions {
  return {
    name: 'webhook-ingress',
    module: AppModule.with(settings),
    settings,
    consumes: ['app-changes'],
    // Webhooks are held, and a probe that fails would take every replica away from their senders.
    worksWithoutPostgres: settings.HOLD_MS > 0 || settings.SPOOL_DIR !== null,
    trustedProxies: settings.TRUSTED_PROXIES,
    routes: (app) => {
      const parts = {
        endpoints: app.get(EndpointService, { strict: false }),
        webhooks: app.get(WebhookService, { strict: false }),
        refusals: app.get(RefusalLog, { strict: false }),
        metrics: app.get(Metrics, { strict: false }),
        tokens: app.get(ServiceTokens, { strict: false }),
        counts: app.get(AnswerCounts, { strict: false }),
      };
      new WebhookReceiver(app.getHttpServer(), parts, {
        endpointRatePerSecond: settings.ENDPOINT_RATE_PER_SECOND,
        addressRatePerSecond: settings.ADDRESS_RATE_PER_SECOND,
        unknownTokenRatePerMinute: settings.UNKNOWN_TOKEN_RATE_PER_MINUTE,
        logsRequests: settings.LOG_LEVEL === 'debug' || settings.LOG_LEVEL === 'trace',
        trustedProxies: settings.TRUSTED_PROXIES,
        bodies: settings,
        maxCodings: settings.BODY_MAX_CODINGS,
      }).listen();
    },
  };
}

export const serviceFrom = (environment?: NodeJS.ProcessEnv): ServiceOptions =>
  ingressService(readSettings(environment));
