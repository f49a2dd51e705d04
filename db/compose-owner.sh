#!/bin/sh
# Run once by the database image of docker-compose.yml, when it makes a new database: the service gets a role of its own
# that owns its database and can make the two roles it works as, but is no superuser. The superuser `postgres` loses its
# password, so nobody can sign in as it over the network; inside the container it needs none.
set -eu
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set password="$POSTGRES_PASSWORD" <<'SQL'
create role memory login createrole password :'password';
create database memory owner memory;
\connect memory
-- Debian's and the image's pgvector is no trusted extension: only a superuser can add it.
create extension if not exists vector schema public;
alter role postgres password null;
SQL
