print("clips")
