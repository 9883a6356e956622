import { Whole } from '#libs/service-kit';

const ofInstallation = 'null: the setting of the installation';

/** What differs for one project from the installation's settings. */
export class ProjectLimitsDto {
  @Whole(1, 100_000, {
    nullable: true,
    description: `Messages per second in each replica of the ingress; more wait (PROJECT_MESSAGES_PER_SECOND); ${ofInstallation}`,
  })
  messages_per_second: number | null = null;
  @Whole(1, 100_000, {
    nullable: true,
    description: `Turns that run at a time; more wait (PROJECT_CONCURRENT_TURNS); ${ofInstallation}`,
  })
  concurrent_turns: number | null = null;
  @Whole(1, 60_000, {
    nullable: true,
    description: `Messages to one address of an App in a minute, where its manifest sets no rate (ADDRESS_RATE_PER_MINUTE); ${ofInstallation}`,
  })
  deliveries_per_address_per_minute: number | null = null;
  @Whole(1, 3_650, {
    nullable: true,
    description: `Days that events, turns, deliveries and their bodies are kept; never longer than RETENTION_DAYS; ${ofInstallation}`,
  })
  retention_days: number | null = null;
  @Whole(1, 1_000_000_000_000, {
    nullable: true,
    description: 'Tokens of all its agents together in a day (UTC); null: no limit',
  })
  day_tokens: number | null = null;
  @Whole(1, 1_000_000_000_000, {
    nullable: true,
    description: 'Cost of all its agents together in a day (UTC), in millionths of MODEL_CURRENCY; null: no limit',
  })
  day_cost_micros: number | null = null;
  @Whole(1, 1_000_000_000_000, {
    nullable: true,
    optional: true,
    description: 'Tokens of all its agents together in a month (UTC); null: no limit',
  })
  month_tokens: number | null = null;
  @Whole(1, 1_000_000_000_000, {
    nullable: true,
    optional: true,
    description: 'Cost of all its agents together in a month (UTC), in millionths of MODEL_CURRENCY; null: no limit',
  })
  month_cost_micros: number | null = null;
}

export const noLimits: ProjectLimitsDto = {
  messages_per_second: null,
  concurrent_turns: null,
  deliveries_per_address_per_minute: null,
  retention_days: null,
  day_tokens: null,
  day_cost_micros: null,
  month_tokens: null,
  month_cost_micros: null,
};
