# The function of the guide's examples: calls the API with the credential of MEMORY_API_TOKEN, in the Team of $TEAM.
# Load it from the root of the repository: . docs/guide/api.sh
api() {
  curl -s "${MEMORY_API_PUBLIC_URL:-http://127.0.0.1:8787}/v1/$1" \
    -H "Authorization: Bearer $MEMORY_API_TOKEN" -H "Memory-Team: $TEAM" \
    -H 'Content-Type: application/json' "${@:2}"
}
# The Team that the first start creates.
TEAM=$(api auth/session | jq -r '.teams[] | select(.name == "General") | .id')
