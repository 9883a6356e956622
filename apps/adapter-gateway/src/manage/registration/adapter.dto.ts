import { Flag, JsonObject, Name, Text, Whole } from '#libs/service-kit';

export class RegisterAdapter {
  @Text(2_000, {
    minLength: 8,
    optional: true,
    description: 'Address of the adapter; its last path segment is the slug',
  })
  url?: string;
  @JsonObject({ optional: true, description: 'Instead of url: the manifest of a skill that needs no adapter' })
  manifest?: Record<string, unknown>;
}

export class RefreshAdapter {
  @JsonObject({ optional: true, description: 'The new manifest of a skill without an adapter' })
  manifest?: Record<string, unknown>;
}

export class RollBackAdapter {
  @Whole(1, 1_000_000, { description: 'A version that was in force before' }) version: number;
}

export class ChangeAdapter {
  @Text(2_000, {
    minLength: 8,
    optional: true,
    description: 'A new address. The same adapter must be ready there, with the manifest that is in force',
  })
  url?: string;
  @Name(200, { optional: true, nullable: true, description: 'Null: the name in the manifest' })
  name?: string | null;
  @Flag({
    optional: true,
    description: 'True: nothing calls it, and messages and deliveries of its Apps wait until it is enabled',
  })
  disabled?: boolean;
}
