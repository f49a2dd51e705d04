#!/bin/sh
# The check of HAProxy for each PostgreSQL server. It succeeds for the primary with the newest timeline that was ever seen
# here. So a primary that was replaced fails it when it comes back, also while the new one cannot be reached.
# HAProxy passes the address and the port of the server as the third and the fourth argument.
set -eu
seen=/var/lib/haproxy-check/timeline

# Empty for a replica.
timeline=$(PGCONNECT_TIMEOUT=2 psql -XAt -h "$3" -p "$4" -U haproxy_check -d postgres -c "
  select case when not pg_is_in_recovery()
         then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end")
[ -n "$timeline" ]

# The checks of the servers run at the same time.
exec 9>>"$seen"
flock 9
newest=$(cat "$seen")
[ "$timeline" -ge "${newest:-0}" ]
[ "$timeline" = "$newest" ] || echo "$timeline" >"$seen"
