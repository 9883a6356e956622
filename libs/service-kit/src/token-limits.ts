/** Default limits on service tokens. */
export const tokenLimitDefaults = { SERVICE_TOKEN_MAX_AGE_SECONDS: 300, SERVICE_TOKEN_REMEMBERED: 200_000 };
