#!/bin/sh
# entry point of the image
echo "entrypoint: image crane-rl:0.9.4, python $(python -c 'import platform; print(platform.python_version())')"
echo "entrypoint: restoring cache"
mkdir -p ckpt && sleep 1
echo "entrypoint: train, at most ${MAX_SECONDS}s"
timeout --verbose --kill-after=10 "${MAX_SECONDS}" python -u l08_crane.py --total "${TOTAL_STEPS}" --out policy.zip
rc=$?
echo "entrypoint: train returned $rc"
echo "entrypoint: pushing ckpt/"
ls ckpt | tail -3
if [ -f policy.zip ]; then
    echo "entrypoint: pushing policy.zip"
else
    echo "entrypoint: no policy.zip, nothing to register"
fi
exit $rc
