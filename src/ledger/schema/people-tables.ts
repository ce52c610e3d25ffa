/** The tables of people who sign in to the console: who they are, how they prove it, and what changed. */
export const peopleTables: readonly string[] = [
  // A person without a password has not used the one-time link yet, or signs in through OpenID Connect alone.
  `CREATE TABLE users (
    name TEXT PRIMARY KEY,
    display_name TEXT NOT NULL,
    email TEXT,
    password_hash TEXT,
    language TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT
  )`,
  'CREATE UNIQUE INDEX users_by_email ON users (email) WHERE email IS NOT NULL',
  'CREATE TABLE user_roles (name TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (name, role))',
  // Without a row: all accounts.
  'CREATE TABLE user_accounts (name TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (name, account))',
  // A secret counts once a code has confirmed it. `last_step`: the time step of the last code that was accepted.
  `CREATE TABLE user_totp (
    name TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    confirmed_at BIGINT,
    last_step BIGINT NOT NULL
  )`,
  `CREATE TABLE user_passkeys (
    credential_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    public_key TEXT NOT NULL,
    counter BIGINT NOT NULL,
    transports TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
  )`,
  'CREATE INDEX passkeys_by_user ON user_passkeys (name)',
  // A session that is still being signed in has no `signed_in_at`, and no name before it is known who it is.
  // `challenge`: what a passkey or an identity provider must answer next, and what that answer is for.
  `CREATE TABLE user_sessions (
    token_sha256 TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    name TEXT,
    created_at BIGINT NOT NULL,
    signed_in_at BIGINT,
    last_seen_at BIGINT NOT NULL,
    address TEXT NOT NULL,
    challenge TEXT,
    challenge_for TEXT,
    challenge_at BIGINT
  )`,
  'CREATE UNIQUE INDEX sessions_by_id ON user_sessions (session_id)',
  'CREATE INDEX sessions_by_user ON user_sessions (name)',
  // When a session last proved its second factor for a purpose.
  `CREATE TABLE session_step_ups (
    session_id TEXT NOT NULL,
    purpose TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session_id, purpose)
  )`,
  // A link by which a person sets a password. Without a name, it makes the first administrator.
  `CREATE TABLE one_time_links (
    token_sha256 TEXT PRIMARY KEY,
    name TEXT,
    made_by TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  )`,
  // Attempts to sign in that have not succeeded, by what was tried (`kind`) and for whom or from where.
  `CREATE TABLE sign_in_attempts (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    last_at BIGINT NOT NULL,
    wait_until BIGINT NOT NULL,
    PRIMARY KEY (kind, subject)
  )`,
  // What happened to people, sessions and API keys: a hash chain like that of a batch.
  `CREATE TABLE access_events (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
  )`,
];

/** From what a person has signed in: "Firefox, Windows". */
export const sessionDevice: readonly string[] = ['ALTER TABLE user_sessions ADD COLUMN device TEXT'];

/** When a person last saw whole phone numbers of a batch or a draft. */
export const numberViews: readonly string[] = [
  `CREATE TABLE number_views (
    person TEXT NOT NULL,
    subject TEXT NOT NULL,
    what TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (person, subject, what)
  )`,
];
