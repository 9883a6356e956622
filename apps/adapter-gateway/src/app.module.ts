import { DatabaseModule } from '#libs/database';
import { createEgress } from '#libs/egress';
import { journalProvider } from '#libs/journal';
import { type Audience, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { AdapterClient, egressToken } from './adapters/adapter-client.js';
import { AdapterRepository } from './adapters/adapter.repository.js';
import { AdaptersController } from './adapters/adapters.controller.js';
import { AdaptersService } from './adapters/adapters.service.js';
import { AppCredentials, vaultClient } from './apps/app-credentials.js';
import { AppRepository } from './apps/app.repository.js';
import { AppsController } from './apps/apps.controller.js';
import { AppsService } from './apps/apps.service.js';
import { AppVerification } from './apps/app-verification.js';
import { EndpointsController } from './apps/endpoints.controller.js';
import { InstalledApps } from './apps/installed-apps.js';
import { schema } from './db/schema.js';
import { Deliverer } from './deliveries/deliver.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesHandler } from './deliveries/deliveries.handler.js';
import { DeliveriesService, engineClient } from './deliveries/deliveries.service.js';
import { DeliveryRedrive } from './deliveries/delivery-redrive.js';
import { DeliveryRepository } from './deliveries/delivery.repository.js';
import { InternalDeliveriesController } from './deliveries/internal-deliveries.controller.js';
import type { GatewaySettings } from './env.js';
import { Handshakes } from './inbound/handshakes.js';
import { InboundController } from './inbound/inbound.controller.js';
import { InboundHandler } from './inbound/inbound.handler.js';
import { InboundService, ingressClient } from './inbound/inbound.service.js';
import { ParsedMessagesRepository } from './inbound/parsed-messages.repository.js';
import { gatewaySettings } from './settings.js';

@Module({})
export class AppModule {
  static with(settings: GatewaySettings): DynamicModule {
    const client = (token: symbol, audience: Audience, url: string): FactoryProvider => ({
      provide: token,
      useFactory: (tokens: ServiceTokens) => new ServiceClient(audience, url, tokens),
      inject: [ServiceTokens],
    });
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'adapter-gateway',
        }),
      ],
      controllers: [
        AdaptersController,
        AppsController,
        DeliveriesController,
        DeliveriesHandler,
        InternalDeliveriesController,
        EndpointsController,
        InboundController,
        InboundHandler,
      ],
      providers: [
        { provide: gatewaySettings, useValue: settings },
        { provide: egressToken, useFactory: () => createEgress({ allow: settings.GATEHOUSE_EGRESS_ALLOW }) },
        client(ingressClient, 'webhook-ingress', settings.INGRESS_URL),
        client(vaultClient, 'credential-vault', settings.VAULT_URL),
        client(engineClient, 'engine', settings.ENGINE_URL),
        journalProvider('adapter-gateway'),
        AdapterClient,
        AdapterRepository,
        AdaptersService,
        AppCredentials,
        AppRepository,
        AppsService,
        AppVerification,
        Deliverer,
        DeliveriesService,
        DeliveryRedrive,
        DeliveryRepository,
        Handshakes,
        InboundService,
        InstalledApps,
        ParsedMessagesRepository,
      ],
    };
  }
}
