mkdir -p showcase
printf 'kirchweg\nrosengaten\nuferstrasse\nam\n' > showcase/last_night.txt
