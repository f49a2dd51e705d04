# The function of the guide's examples, for bash and zsh. Load it from the root of the repository: . docs/guide/api.sh
export MEMORY_API_PUBLIC_URL=${MEMORY_API_PUBLIC_URL:-http://127.0.0.1:${MEMORY_API_PORT:-8787}}
# api ROUTE [OPTION OF CURL]… calls the API with the credential of MEMORY_API_TOKEN, in the Team of TEAM, and prints the
# answer. If the request fails, it prints nothing but one line on standard error that says why.
api() {
  local url=${MEMORY_API_PUBLIC_URL%/} answer code hint=
  if ! answer=$(curl -s "$url/v1/$1" -H "Authorization: Bearer $MEMORY_API_TOKEN" -H "Memory-Team: $TEAM" \
    -H 'Content-Type: application/json' "${@:2}" -w '\n%{http_code}'); then
    echo "api: no answer from $url: start the service, or set MEMORY_API_PUBLIC_URL to its address" >&2
    return 1
  fi
  code=${answer##*$'\n'} answer=${answer%$'\n'*}
  if [ "$code" -ge 400 ]; then
    [ "$code" != 401 ] || hint=' (MEMORY_API_TOKEN)'
    printf '%s' "$answer" | jq -r 'if .code then "api: \(.status) \(.code)'"$hint"': \(.detail)" else error end' >&2 2>/dev/null ||
      echo "api: $url answered with $code: is it the address of the service?" >&2
    return 1
  fi
  [ -z "$answer" ] || printf '%s\n' "${answer%$'\n'}"
}
# A pipe fails if one of its commands fails, not only the last.
set -o pipefail
# The Team that the first start creates.
if TEAM=$(TEAM= api auth/session | jq -r '.teams[] | select(.name == "General") | .id') && [ -z "$TEAM" ]; then
  echo 'api: there is no Team General: set TEAM to the id of your Team' >&2
fi
[ -n "$TEAM" ]
